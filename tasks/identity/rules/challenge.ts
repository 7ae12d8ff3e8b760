import { randomInt } from 'node:crypto'
import type { Pose } from '../engine.ts'

/** Time to live of a challenge in milliseconds. Five turns take about 15 seconds. */
export const challengeMs = 90_000

/** Number of turns after the first frame, in which the person looks at the camera. */
const turns = 4

const all: readonly Pose[] = ['centre', 'left', 'right']

/**
 * Returns poses in random order: 1 of 14 sequences. Two poses in succession always differ, and both sides occur, so that
 * a still image never fits.
 */
export function createPoses(random: (below: number) => number = randomInt): Pose[] {
  for (;;) {
    const poses: Pose[] = ['centre']
    while (poses.length <= turns) {
      const others = all.filter((pose) => pose !== poses.at(-1))
      poses.push(others[random(others.length)] ?? 'left')
    }
    if (poses.includes('left') && poses.includes('right')) return poses
  }
}

/** What a passed challenge excludes, and what it does not. Pages, the API and the guide say the same. */
export const challengeCovers = {
  stops: ['printed_photo', 'still_image'],
  does_not_stop: ['video_replay', 'deepfake', 'mask'],
} as const
