import { Note } from "../ui";
import type { Address } from "./address";

/** The whole address, its host standing out, and what is odd about it. */
export function AddressText({ address }: { address: Address }) {
  return (
    <>
      <p className="pre address" data-testid="address">
        <span className="t2">{address.before}</span>
        <b>{address.host}</b>
        <span className="t2">{address.after}</span>
      </p>
      {address.warnings.map((warning) => (
        <Note key={warning} tone="needs">
          {warning}
        </Note>
      ))}
    </>
  );
}
