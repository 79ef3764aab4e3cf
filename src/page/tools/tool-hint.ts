import { type BlockOf, partialInput, type Todo } from 'agentfold'
import { asString } from '../../core/json/values.ts'
import { callSubject } from '../../core/selectors/call-input.ts'
import { planInInput } from '../../core/selectors/todos.ts'
import { oneLine } from '../blocks/one-line.ts'

/** Returns a short description of a call's input on one line. Empty if the input has no text. */
export function toolHint(input: unknown): string {
  const plan = planInInput(input)
  return plan ? planHint(plan) : oneLine(callSubject(input) || pathsIn(input))
}

/** Returns the tool of a call, and what it works on. */
export function callText(call: BlockOf<'tool_use'>): string {
  return `${call.toolName} ${toolHint(partialInput(call))}`.trim()
}

/** Returns how many entries of a plan are done, and the one in progress. */
function planHint(plan: readonly Todo[]): string {
  const counted = plan.filter(({ status }) => status !== 'cancelled')
  const completed = counted.filter(({ status }) => status === 'completed').length
  const current = plan.find(({ status }) => status === 'in_progress')
  return [`${completed}/${counted.length} done`, ...(current ? [oneLine(current.text)] : [])].join(' · ')
}

/** Returns the paths of the first list that has them. */
function pathsIn(input: unknown): string {
  const lists = Object.values(Object(input)).filter(Array.isArray)
  return (
    lists.map((list) => list.flatMap((item) => asString(Object(item).path) ?? []).join(', ')).find(Boolean) ??
    ''
  )
}
