/** Adds a copy button after each copyable text. */

const TOLD_MS = 2_000;

export function addCopyButton(source: HTMLElement): void {
  // Elsewhere, as without TLS, there is no clipboard.
  if (navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copying';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed here';
    }
    window.setTimeout(() => {
      button.textContent = 'Copy';
    }, TOLD_MS);
  });
  (source.closest('pre') ?? source).after(button);
}
