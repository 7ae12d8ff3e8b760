const networkCodes = /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE)$/

/** Whether an error, or what caused it, says that the store could not be reached or had a fault of its own. */
export function isStorageAway(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    // The client library marks what it throws with this.
    if (!('$metadata' in e)) continue
    const { httpStatusCode: status = 0 } = e.$metadata as { httpStatusCode?: number }
    const cut = 'code' in e && networkCodes.test(String(e.code))
    if (cut || e.name === 'TimeoutError' || status >= 500) return true
  }
  return false
}
