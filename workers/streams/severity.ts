import type { StreamRecord } from '#tasks/account/rules/streams/engine.ts'

const statusOf = ({ source, data }: StreamRecord): number => (source === 'requests' ? Number(data.status ?? 0) : 0)

export const isFailedRequest = (record: StreamRecord): boolean => statusOf(record) >= 500

/** True if the request was rejected, or the record stands for lost records. */
export const isRejectedRequest = (record: StreamRecord): boolean =>
  statusOf(record) >= 400 || record.type === 'stream.gap'
