/** Adds a copy button to each code block. */
export function copyButtons(root) {
  for (const block of root.querySelectorAll('pre')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
    button.className = 'copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    const frame = Object.assign(document.createElement('div'), { className: 'code' })
    block.replaceWith(frame)
    frame.append(block, button)
  }
}
