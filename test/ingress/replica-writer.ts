import { wiki } from '../../ingress/wiki/index.ts'

/** What another ingress process serves, by which is written what a replica has to show. */
export const areas = [wiki]
