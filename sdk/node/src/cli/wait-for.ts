import { pause } from '../retries.ts'

/** Reads a state until it is final. Returns the last state, also if the time limit has passed. */
export async function waitFor<State>(
  read: () => Promise<State>,
  isFinal: (state: State) => boolean,
  { seconds, signal, onState }: { seconds: number; signal: AbortSignal; onState?: (state: State) => void },
): Promise<State> {
  const end = Date.now() + seconds * 1_000
  for (let waitMs = 500; ; waitMs = Math.min(5_000, waitMs * 1.5)) {
    const state = await read()
    onState?.(state)
    const left = end - Date.now()
    if (isFinal(state) || left <= 0) return state
    await pause(Math.min(waitMs, left), signal)
  }
}
