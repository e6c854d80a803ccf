/** Adds a copy button after a copyable text: it copies the text, or what stands in its attribute data-copied. */

const TOLD_MS = 2_000;

export function addCopyButton(source: HTMLElement): void {
  // Elsewhere, as without TLS, there is no clipboard.
  if (navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copying';
  const { copied } = source.dataset;
  const label = copied === undefined ? 'Copy' : 'Copy curl';
  button.textContent = label;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(copied ?? source.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed here';
    }
    window.setTimeout(() => {
      button.textContent = label;
    }, TOLD_MS);
  });
  (source.closest('pre') ?? source).after(button);
}
