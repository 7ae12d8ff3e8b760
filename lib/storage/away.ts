const networkCodes = /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE)$/

export function isStorageUnavailable(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (!('$metadata' in e)) continue
    const { httpStatusCode: status = 0 } = e.$metadata as { httpStatusCode?: number }
    const cut = 'code' in e && networkCodes.test(String(e.code))
    if (cut || e.name === 'TimeoutError' || status >= 500) return true
  }
  return false
}
