import { trust } from '../../ingress/trust/index.ts'

/** What an ingress process of these tests serves. */
export const areas = [trust]
