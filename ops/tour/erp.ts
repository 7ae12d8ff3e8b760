import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

interface CompanySearch {
  data: { name: string; code: string; jurisdiction: string; match: { field: string; score: number } }[]
}

export const erpSteps = (api: Api): Step[] => [{ name: 'erp', run: () => findOne(api) }]

async function findOne(api: Api): Promise<string> {
  const wrong = 'kestrell enrgy'
  const { data } = await ask<CompanySearch>(api, 'GET', `/v1/erp/companies?q=${encodeURIComponent(wrong)}&limit=1`)
  const [found] = data
  if (!found) throw new Error(`The search returns no company similar to ${wrong}.`)
  const { code, jurisdiction } = found
  const { name, source } = await ask<{ name: string; source: { register: string } }>(
    api,
    'GET',
    `/v1/erp/companies/${code}?jurisdiction=${jurisdiction}`,
  )
  return `“${wrong}” is ${name}, ${jurisdiction} ${code}, says register ${source.register}`
}
