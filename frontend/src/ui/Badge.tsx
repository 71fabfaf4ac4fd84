import type { ReactNode } from "react";

export function Badge({ tone = "plain", children }: { tone?: "plain" | "warn" | "needs"; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
