// Copying a text, also where the browser has no clipboard for a page.

/**
 * Copies `text`. Only a page of this machine or one by https has a clipboard; elsewhere, as on a phone in a classroom,
 * a prompt lets the reader copy by hand.
 * @param label what the prompt says
 * @returns whether the text has been copied
 */
export async function copied(text: string, label: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // eslint-disable-next-line no-alert -- a prompt has the text selected, and closes with Enter
    window.prompt(label, text);
    return false;
  }
}
