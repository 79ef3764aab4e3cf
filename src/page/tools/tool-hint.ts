import { type BlockOf, partialInput, type Todo } from 'agentfold'
import { planInInput } from '../../core/selectors/todos.ts'
import { oneLine } from '../blocks/one-line.ts'

/** The most useful input fields of common tools, the best first. */
const HINT_FIELDS = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description']

/** Returns a short description of a call's input on one line. Empty if the input has no text. */
export function toolHint(input: unknown): string {
  const plan = planInInput(input)
  if (plan) return planHint(plan)
  const texts = Object.entries(Object(input)).map(withText).filter(isText)
  const [, hint = ''] =
    HINT_FIELDS.map((name) => texts.find(([key]) => key === name)).find((entry) => entry) ?? texts[0] ?? []
  return oneLine(hint)
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

/** Joins the texts or paths of a list. */
function withText([key, value]: [string, unknown]): [string, unknown] {
  if (!Array.isArray(value)) return [key, value]
  const texts = value.map((item) => (typeof item === 'string' ? item : Object(item).path))
  return [key, texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join(', ') : value]
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}
