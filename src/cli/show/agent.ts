import { STATUS_WORDS } from '../../core/selectors/status-words.ts'
import type { UsageSum } from '../../core/selectors/usage.ts'
import type { AgentFacts, WalkedAgent } from '../../core/selectors/walk.ts'
import { formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { tokensText } from '../terminal/text.ts'
import { hang, wrapWords } from '../terminal/wrap.ts'
import type { View } from './view.ts'

/** What a line about an agent says besides its facts. */
interface AgentNote {
  readonly calls: number
  readonly usage?: UsageSum | undefined
  readonly lineage: WalkedAgent['lineage']
  readonly depth?: number
}

/** Returns the lines about an agent above its conversation. */
export function agentLines(
  { text, paint }: View,
  { name = '', description = '', status, durationMs }: AgentFacts,
  { calls, usage, lineage, depth }: AgentNote,
  width: number,
): readonly string[] {
  const facts = [
    paint(STATUS_WORDS[status], STATUS_COLOURS[status]),
    durationMs === undefined ? '' : formatDuration(durationMs),
    calls === 0 ? '' : plural(calls, 'tool call'),
    (usage && tokensText(usage)) ?? '',
    lineage === 'orphan' ? 'its parent is not known' : '',
    lineage === 'cycle' ? 'it is below itself in the data' : '',
    depth === undefined ? '' : `level ${depth}`,
  ].filter((fact) => fact !== '')
  const title = [paint(`Agent ${text.short(name)}`.trim(), 'bold'), text.short(description, 200)]
  const words = `${title.filter((part) => part !== '').join(' – ')} ${paint('·', 'dim')} ${facts.join(paint(' · ', 'dim'))}`
  return hang(paint('◆ ', STATUS_COLOURS[status], 'bold'), wrapWords(words, width - 2))
}
