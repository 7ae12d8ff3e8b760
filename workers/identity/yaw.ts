export interface Point {
  x: number
  y: number
}

/** Indexes of the 68 landmarks: both ends of the jaw line, the outer corners of the eyes, and the tip of the nose. */
const [jawLeft, jawRight, eyeLeft, eyeRight, noseTip] = [0, 16, 36, 45, 30]

/**
 * Returns how far a head is turned, from -1 to 1: 0 looks at the camera, positive turns to the person's left. It is the
 * position of the nose tip between the ends of the jaw line, along the line of the eyes. The image must not be mirrored.
 */
export function measureYaw(landmarks: readonly Point[]): number {
  const at = (index: number) => landmarks[index] ?? { x: 0, y: 0 }
  const [from, to] = [at(eyeLeft), at(eyeRight)]
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  if (length === 0) return 0
  const along = ({ x, y }: Point) => ((x - from.x) * (to.x - from.x) + (y - from.y) * (to.y - from.y)) / length
  const [left, right, nose] = [along(at(jawLeft)), along(at(jawRight)), along(at(noseTip))]
  if (right <= left) return 0
  return Math.max(-1, Math.min(1, (2 * (nose - left)) / (right - left) - 1))
}
