import type { JsonObject } from '../../../json/values.ts'
import { textsIn } from '../../../programs/claude-code/texts.ts'
import type { BlockOf } from '../../../state/block.ts'

/** A successful call, and its result. */
export interface AnsweredCall {
  readonly call: BlockOf<'tool_use'>
  /** The tool's own record. It has no fields in the lines of most subagents. */
  readonly record: JsonObject
  /** The result for the model. */
  readonly output: unknown
}

/** Returns the text for the model. */
export function textOf({ output }: AnsweredCall): string {
  return textsIn(output).join('\n')
}
