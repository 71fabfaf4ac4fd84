import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

export type NoteTone = "info" | "needs" | "failed";

const icons = { info: Info, needs: TriangleAlert, failed: CircleAlert };

/** A remark in its place. Not a live region: what must be heard goes through `announce`. */
export function Note({ tone = "info", children }: { tone?: NoteTone; children: ReactNode }) {
  const Icon = icons[tone];
  return (
    <div className="note" data-tone={tone}>
      <Icon size={13} aria-hidden="true" />
      <div className="grow">{children}</div>
    </div>
  );
}
