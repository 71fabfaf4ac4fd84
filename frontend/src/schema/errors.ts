/** One fault at one place of a document (RFC 6901); the back end's field errors have the same shape. */
export interface FieldError {
  pointer: string;
  message: string;
}

export type ErrorsByPointer = ReadonlyMap<string, readonly string[]>;

export function byPointer(errors: readonly FieldError[]): ErrorsByPointer {
  const map = new Map<string, string[]>();
  for (const { pointer, message } of errors) {
    const list = map.get(pointer);
    if (!list) map.set(pointer, [message]);
    else if (!list.includes(message)) list.push(message);
  }
  return map;
}
