const loading = new Map<string, Promise<void>>()

/**
 * Loads the code of an element from `baseUrl`, once per page. Rejects if it cannot be loaded. The next call retries.
 * `path` is the path of the script on the server.
 */
export async function loadElement(tag: string, path: string, baseUrl: string): Promise<void> {
  if (customElements.get(tag)) return
  const url = `${baseUrl.replace(/\/(?:v1\/?)?$/, '')}${path}`
  if (!loading.has(url)) loading.set(url, addScript(tag, url))
  try {
    await loading.get(url)
  } catch (error) {
    loading.delete(url)
    throw error
  }
}

async function addScript(tag: string, url: string): Promise<void> {
  const script = Object.assign(document.createElement('script'), { type: 'module', src: url, crossOrigin: 'anonymous' })
  await new Promise<void>((done, fail) => {
    script.addEventListener('load', () => done())
    script.addEventListener('error', () => {
      script.remove()
      fail(new Error(`<${tag}> could not be loaded from ${url}.`))
    })
    document.head.append(script)
  })
  await customElements.whenDefined(tag)
}
