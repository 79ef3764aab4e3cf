import type { FieldsOf } from '../json/shape.ts'
import { asArray, asObject, asString } from '../json/values.ts'

/** An answer that a person can choose. */
export interface RequestOption {
  /** The program expects this as the answer. */
  readonly id: string
  readonly label: string
  readonly description?: string
}

/** A question to the person. */
export interface RequestQuestion {
  readonly text: string
  readonly options: readonly RequestOption[]
  /** Whether the person may choose several options. */
  readonly multiple?: boolean
}

/** The answer is the id of an option for a permission, and the chosen labels of each question for questions. */
export type RequestAnswer = string | readonly (readonly string[])[]

/** A request of the program to the person, and the answer. */
export interface RequestFacts {
  readonly kind: 'permission' | 'question'
  /**
   * One line for the person: the tool and what it is about to do, or the question. The words may be the model's, so
   * show the input of the call beside them.
   */
  readonly title: string
  /** The call that waits for the answer. */
  readonly toolUseId?: string
  /** The answers that the person can choose: those of the permission, or of the only question. */
  readonly options?: readonly RequestOption[]
  /** The questions of a request of that kind. */
  readonly questions?: readonly RequestQuestion[]
  /** Absent while the request is open. It stays absent if the program withdrew the request, or did not say what the answer was. */
  readonly answer?: RequestAnswer
  /** Whether the person refused: the call does not run. */
  readonly denied?: boolean
  /** The person's own words with the answer. */
  readonly comment?: string
  /** Further facts, as the source's JSON. */
  readonly data?: unknown
}

const OPTION: FieldsOf<RequestOption> = { id: 'name', label: 'string', 'description?': 'string' }

/** The shape of what a request asks. */
export const REQUEST_FACTS: FieldsOf<RequestFacts> = {
  kind: { oneOf: { permission: true, question: true } },
  title: 'string',
  'toolUseId?': 'name',
  'options?': { listOf: { fields: OPTION } },
  'questions?': {
    listOf: { fields: { text: 'string', options: { listOf: { fields: OPTION } }, 'multiple?': 'boolean' } },
  },
  'answer?': { stringOr: { listOf: { listOf: 'string' } } },
  'denied?': 'boolean',
  'comment?': 'string',
  'data?': 'JSON value',
}

const REFUSALS: ReadonlySet<unknown> = new Set(['deny', 'denied', 'reject', 'decline', 'cancel', 'abort'])

/** Whether the option refuses. A protocol may state the kind of each option, whose ids are the agent's own. */
export function isRefusal({ kind, data }: RequestFacts, id: unknown): boolean {
  if (kind === 'question') return false
  const option = asArray(asObject(asObject(data).params).options)
    .map(asObject)
    .find(({ optionId }) => optionId === id)
  return REFUSALS.has(id) || asString(option?.kind)?.startsWith('reject') === true
}
