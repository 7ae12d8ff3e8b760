import type { Operation } from '../area.ts'
import { getDeclaredProblems } from '../declared-problems.ts'
import type { Json } from './schemas.ts'

/** Error codes of the framework for expired keys, unknown methods and wrong hosts. No declaration contains them. */
const frameworkCodes = ['key_expired', 'method_not_allowed', 'misdirected', 'not_found']

/**
 * Returns the schemas of the error body. `ErrorResponse` is the body. Its name is not `Error`, because `Error` is a
 * global in most languages. `ErrorCode` contains every code of the given operations.
 */
export const errorSchemas = (operations: readonly Operation[]): Json => ({
  ErrorCode: {
    type: 'string',
    enum: codesOf(operations),
    description: 'Error code for use in code. Later versions can add codes.',
  },
  ErrorResponse: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'request_id'],
        properties: {
          code: { $ref: '#/components/schemas/ErrorCode' },
          message: { type: 'string', description: 'Error message for people' },
          details: { description: 'Data for use in code. For `bad_request`: every invalid field.' },
          request_id: { type: 'string', description: 'ID of this request in the request log' },
        },
      },
    },
  },
})

function codesOf(operations: readonly Operation[]): string[] {
  const declared = operations.flatMap(({ route }) => getDeclaredProblems(route).map(({ code }) => code))
  return [...new Set([...frameworkCodes, ...declared])].sort()
}
