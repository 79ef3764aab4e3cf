import type { RequestAnswer } from '../../core/state/request.ts'
import type { PersonDecision } from '../../wires/kit/request-reply.ts'

/** The answer of a person: the id of an option, the chosen labels of each question, or a decision. */
export type PersonAnswer = RequestAnswer | PersonDecision
