// What must be there by the time it is asked for.

/**
 * `value`, which is there by now.
 * @throws {TypeError} where it is not
 */
export function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError("a value is needed before it is there");
  return value;
}
