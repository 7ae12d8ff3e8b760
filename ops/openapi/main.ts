/** `npm run check:openapi`: checks the OpenAPI documents with the rules of Spectral and Redocly. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { areas } from '../../ingress/areas.ts'
import { createDocuments } from '../../ingress/http/openapi/document.ts'

const { Document, Spectral } = spectralCore

const spectral = new Spectral()
spectral.setRuleset({
  extends: [[rulesets.oas as RulesetDefinition, 'recommended']],
  rules: {
    'operation-description': 'error',
    // OpenAPI 3.1 §4.8.30: schemes other than OAuth 2 list the roles that a call needs. The rule is for 3.0.
    'oas3-operation-security-defined': 'off',
    // Each installation has its own operator.
    'info-contact': 'off',
  },
})

/** True for a finding in an example that has a property named `example`. The rule confuses it with a schema keyword. */
function isInExample(code: string | number, path: readonly (string | number)[]): boolean {
  const at = path.indexOf('example')
  return code === 'oas3-valid-schema-example' && at >= 0 && at < path.length - 1
}

/** The contract has /assets/{assetId}/playback-sessions next to /assets/playback-sessions/{sessionId}. */
const redocly = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } })

const documents = createDocuments(areas)
let faults = 0
for (const base of [undefined, '/v1/stream']) {
  const text = documents.textOf(base)
  for (const fault of [...(await bySpectral(text)), ...(await byRedocly(text))]) {
    faults++
    console.error(`${base ?? '/v1'}/openapi.json: ${fault}`)
  }
}
console.log(`openapi: ${faults} faults`)
process.exitCode = faults > 0 ? 1 : 0

async function bySpectral(text: string): Promise<string[]> {
  const document = new Document(text, parsers.Json, 'openapi.json')
  const found = await spectral.run(document)
  const faulty = found.filter(({ code, path }) => !isInExample(code, path))
  return faulty.map(({ code, message, path }) => `spectral ${code}: ${message} at /${path.join('/')}`)
}

async function byRedocly(text: string): Promise<string[]> {
  const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config: redocly })
  return found.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} at ${location[0]?.pointer}`)
}
