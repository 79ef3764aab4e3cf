import { MAIN } from '../../../core/state/session.ts'
import { INTERRUPTION_TEXT } from '../../../programs/claude-code/program-text.ts'
import { textsOfParts } from '../../../programs/claude-code/texts.ts'
import type { ClaudeContext } from '../context.ts'
import type { Line } from '../lines/line.ts'
import { updateTokens } from './assistant.ts'
import { repeatTurnEnd } from './turn.ts'

/** A line that the source has read before adds nothing, but it may hold final tokens, or the end of a turn that a reconnect repeats. */
export function translateRepeated(line: Line, context: ClaudeContext): void {
  if (line.conversationId === MAIN && isEndOfTurn(line)) repeatTurnEnd(context)
  updateTokens(line, context)
}

function isEndOfTurn({ raw, parts }: Line): boolean {
  return (
    raw.type === 'result' || (raw.type === 'user' && INTERRUPTION_TEXT.test(textsOfParts(parts)[0] ?? ''))
  )
}
