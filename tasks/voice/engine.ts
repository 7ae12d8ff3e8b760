/** What holds calls on a worker: the SIP dialogs of both legs (workers/sip). */
export interface CallControl {
  /**
   * Begins a waiting call and returns once it is this worker's; from then on the call's row tells what becomes of it. A call that
   * is not waiting any more is left alone. Throws `Later` while there is no room for one more.
   */
  dial(callId: string, signal: AbortSignal): Promise<void>
}
