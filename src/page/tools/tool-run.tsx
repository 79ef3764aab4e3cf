import { type ConversationBlock, findConversation, type SessionConversationState } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { STATUS_WORDS } from '../../core/selectors/status.ts'
import { type ToolKind, toolKind } from '../../programs/tool-kind.ts'
import { Details } from '../rows/details.tsx'
import type { Row } from '../rows/row.ts'

/** One line for many calls, or for several notes of the program. The rows after it have them, if it is open. */
export function ToolRun({ row }: { readonly row: Extract<Row, { type: 'run' }> }): ReactNode {
  const select = useMemo<Selector<string>>(() => (state) => JSON.stringify(summaryOf(state, row)), [row])
  const { text, failed }: Summary = JSON.parse(useSession(select))
  return (
    <article className="block tool-run" aria-label={text}>
      <Details
        id={row.key}
        summary={
          <>
            <span className="summary-name">{text}</span>
            {failed > 0 && (
              <span className="status error">
                {failed} {STATUS_WORDS.failed}
              </span>
            )}
          </>
        }
      />
    </article>
  )
}

interface Summary {
  readonly text: string
  readonly failed: number
}

function summaryOf(
  state: SessionConversationState,
  { conversationId, blockIds }: Extract<Row, { type: 'run' }>,
): Summary {
  const ids = new Set(blockIds)
  const blocks = findConversation(state, conversationId)?.blocks ?? []
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' && ids.has(block.id) ? [block] : []))
  if (calls.length === 0) return { text: notesText(blocks.filter(({ id }) => ids.has(id))), failed: 0 }
  const done = calls.filter(({ status }) => status !== 'error')
  const counts = new Map<ToolKind, number>()
  for (const { toolName } of done) {
    const kind = toolKind(toolName)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const texts = [...counts].map(([kind, count]) => WORDS[kind](count))
  const text = texts.join(', ') || `${calls.length} calls`
  return { text: text.charAt(0).toUpperCase() + text.slice(1), failed: calls.length - done.length }
}

/** Returns the number of notes and what they are about. */
function notesText(notes: readonly ConversationBlock[]): string {
  const names = notes.map((note) => (note.type === 'system' ? note.subtype.replaceAll('_', ' ') : 'note'))
  const others = [...new Set(names)]
  const more = others.length > MOST_NAMES ? ', …' : ''
  return `${notes.length} notes of the program: ${others.slice(0, MOST_NAMES).join(', ')}${more}`
}

const MOST_NAMES = 4

const counted =
  (verb: string, one: string, many: string) =>
  (count: number): string =>
    `${verb} ${count} ${count === 1 ? one : many}`

const WORDS: Readonly<Record<ToolKind, (count: number) => string>> = {
  command: counted('ran', 'command', 'commands'),
  read: counted('read', 'file', 'files'),
  edit: counted('edited', 'file', 'files'),
  search: counted('made', 'search', 'searches'),
  web: counted('opened', 'page', 'pages'),
  mcp: counted('called', 'MCP tool', 'MCP tools'),
  agent: counted('sent', 'message to agents', 'messages to agents'),
  plan: counted('updated', 'plan', 'plans'),
  other: counted('called', 'other tool', 'other tools'),
}
