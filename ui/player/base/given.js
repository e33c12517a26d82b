// What must be there by the time it is asked for.

/**
 * `value`, which is there by now.
 * @template T
 * @param {T | null | undefined} value
 * @returns {T}
 * @throws {TypeError} where it is not
 */
export function given(value) {
  if (value === null || value === undefined) throw new TypeError("a value is needed before it is there");
  return value;
}
