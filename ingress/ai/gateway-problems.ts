import { Problem } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type DeclaredProblem, noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { languageProblems, toFailureProblem } from './language-work.ts'

export const modelNotFound = problem(
  404,
  'model_not_found',
  'No upstream server has this model. `GET /v1/ai/models` lists the models.',
)
const refusedRequest = problem(
  400,
  'invalid_request',
  'The model server rejected the request. `param` and `details.code` show the cause if the server returns an error code.',
)

export const gatewayProblems: readonly DeclaredProblem[] = [...languageProblems, modelNotFound, refusedRequest]

type GatewayFailure = Parameters<typeof toFailureProblem>[2] & {
  request_fault?: { kind: string; code?: string | undefined; param?: string | undefined } | undefined
}

/** Converts a failure to a problem. The problem never contains the error message of the upstream server. */
export async function gatewayProblem(db: DatabasePool, orgId: string, failure: GatewayFailure): Promise<Problem> {
  const fault = failure.request_fault
  if (failure.code === 'provider_not_configured') return noModel()
  if (fault?.kind === 'model_not_found') {
    return noSuchModel()
  }
  if (fault?.kind === 'not_translatable') {
    const message = `\`${fault.param}\` cannot be used: the model’s server accepts only chat completions, which have no such field.`
    return refusedRequest(message, { param: fault.param, code: 'unsupported_parameter' })
  }
  if (fault) {
    const { code, param } = fault
    return refusedRequest(
      `The model server rejects this request${param ? `: see ${param}` : ''}${code ? ` (${code})` : ''}.`,
      { ...(param !== undefined && { param }), ...(code !== undefined && { code }) },
    )
  }
  return await toFailureProblem(db, orgId, failure)
}

export const noSuchModel = (): Problem =>
  modelNotFound('No upstream server has this model. GET /v1/ai/models lists the models.', { param: 'model' })

const noModel = (): Problem =>
  new Problem(
    503,
    'not_configured',
    'No model is connected. This operation needs an upstream model (`AI_ENGINE=upstream`).',
  )

export const answerTimedOut = (): Problem => noAnswerInTime('The response took too long. Send the same request again.')
