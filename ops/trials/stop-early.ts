/** Ends what a trial started, then this process, when the operator interrupts it (SIGINT or SIGTERM). */
export function stopEarly(ends: AsyncDisposableStack): void {
  const stop = () => void ends.disposeAsync().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, stop)
    ends.defer(() => void process.off(signal, stop))
  }
}
