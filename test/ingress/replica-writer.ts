import { wiki } from '../../ingress/wiki/index.ts'

export const areas = [wiki]
