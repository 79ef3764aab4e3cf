import { isDeepStrictEqual } from 'node:util'
import { asObject } from '../../src/core/json/values.ts'
import type { ProgramFacts } from './check-facts.ts'

/** Claude Code adds to the input of a call: the defaults of its tools, facts of its own such as a plan, and other names of fields. */
export const claudeFacts: ProgramFacts = {
  hasOwnBlock: ({ name }) => name === 'Workflow',
  isSameCall: ({ name, input }, { toolName, input: shown }) =>
    name === toolName &&
    Object.entries(asObject(input)).every(([field, value]) =>
      isDeepStrictEqual(asObject(shown)[field], value),
    ),
}
