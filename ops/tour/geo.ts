import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

export const geoSteps = (api: Api): Step[] => [{ name: 'geo', run: () => locate(api) }]

async function locate(api: Api): Promise<string> {
  const { ip, country, source } = await ask<{
    ip: string
    country: { name: string } | null
    source: { database: string }
  }>(api, 'GET', '/v1/geo/1.1.1.1')
  if (!country) throw new Error(`${source.database} does not contain ${ip}.`)
  return `${ip} is in ${country.name}, according to ${source.database}`
}
