// What a draft of a try-out leaves out of its original: the player knows it, and the Author page says it.
const LEFT_OUT = "tidemark.left_out";

/**
 * @param {[name: string, value: string]} address the part of an address that opens the draft
 * @param {string} text "" for nothing
 */
export function keepLeftOut(address, text) {
  try {
    if (text) window.sessionStorage.setItem(LEFT_OUT, JSON.stringify([address.join(":"), text]));
    else window.sessionStorage.removeItem(LEFT_OUT);
  } catch {
    // Storage may be forbidden; then the draft says it by itself alone.
  }
}

/**
 * What the draft that was opened from `origin` leaves out, once; "" for nothing.
 * @param {string | undefined} origin its address, as name:value
 * @returns {string}
 */
export function takeLeftOut(origin) {
  try {
    const [address, text] = JSON.parse(window.sessionStorage.getItem(LEFT_OUT) ?? "[]");
    if (address !== origin) return "";
    window.sessionStorage.removeItem(LEFT_OUT);
    return text ?? "";
  } catch {
    return "";
  }
}
