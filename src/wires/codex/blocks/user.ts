import { omitUndefined } from '../../../json/omit-undefined.ts'
import { userContent } from '../../../session/user-content.ts'
import type { UserContentPart } from '../../../state/content.ts'
import { MAIN } from '../../../state/session.ts'
import type { CodexContext } from '../context.ts'

interface Prompt {
  readonly id: string
  readonly content: readonly UserContentPart[]
  readonly time?: string | undefined
}

/** Shows a message of a person, or of a parent agent to its agent. A repeated one adds nothing. */
export function showPrompt(threadId: string, { id, content, time }: Prompt, context: CodexContext): void {
  const parts = userContent(content)
  if (parts === undefined || context.item(threadId, id)) return
  context.endItem(threadId, id, 'item')
  if (context.conversationOf(threadId) === MAIN) context.beginTurn(time)
  context.show(
    threadId,
    omitUndefined({ type: 'user_message', id, status: 'complete', content: parts, timestamp: time }),
  )
}
