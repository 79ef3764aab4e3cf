import { type ConversationBlock, findConversation, partialInput } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { isSameList } from '../../core/selectors/memoize.ts'
import { doingIn } from '../../core/selectors/status.ts'
import { lastLine } from '../blocks/one-line.ts'
import { Elapsed } from '../time/elapsed.tsx'
import { toolHint } from '../tools/tool-hint.ts'
import { agentTitle } from './agent-title.ts'
import { usePath } from './use-path.ts'

/** The work of a running agent: its last call or text, and since when. */
export function Doing({ conversationId }: { readonly conversationId: string }): ReactNode {
  const select = useMemo<Selector<readonly (string | undefined)[]>>(
    () => (state) => shownWork(findConversation(state, conversationId)?.blocks ?? []),
    [conversationId],
  )
  const [tool = '', text = '', since] = useSession(select, isSameList)
  const shown = usePath(text)
  if (tool + shown === '') return null
  return (
    <span className="doing">
      <span className="preview">{tool === '' ? shown : `${tool} ${shown}`}</span>
      <Elapsed since={since} />
    </span>
  )
}

/** Returns the tool, what it works on or the end of a text, and the time when that began if it goes on. */
function shownWork(blocks: readonly ConversationBlock[]): readonly (string | undefined)[] {
  const { block, since } = doingIn(blocks) ?? {}
  if (block?.type === 'tool_use') return [block.toolName, toolHint(partialInput(block)), since]
  if (block?.type === 'subagent') {
    const others = blocks.filter((each) => each.type === 'subagent' && each.status === 'running').length - 1
    const title = agentTitle({ ...block, prompt: block.input })
    return ['Agent', others > 0 ? `${title}, and ${others} more` : title, since]
  }
  return block?.type === 'assistant_text' || block?.type === 'thinking'
    ? ['', lastLine(block.content), since]
    : []
}
