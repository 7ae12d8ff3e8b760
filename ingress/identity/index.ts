import { area } from '../http/area.ts'
import { faceImages } from './face-images.ts'
import * as faceMatch from './face-match.ts'

/** Who people are, as far as it is proven. */
export const identity = area({
  name: 'identity',
  title: 'Identity',
  description: 'Requirements, readiness and status of people’s verification, and face matching.',
  base: '/v1/identity',
  platform: true,
  services: [faceImages],
  routes: { 'face-match': { create: faceMatch.create } },
})
