import { expect, it } from 'vitest'
import { createInitialConversationState, reduceSessionEvents } from '../../src/index.ts'
import { checkEndings } from '../../src/testing/check-ending.ts'
import { stepsOf } from '../../src/testing/fold.ts'
import { sourceFold } from '../../src/testing/source-fold.ts'
import { isTeammateId } from '../../src/wires/claude/agents/teammate.ts'
import { sessions } from '../wires/status/recorded.ts'

// `checkSource` takes too long for every recording. These two of its laws hold for them all, public recordings and late streams too.
it.each(sessions)('$name reports its agents and names its program', ({ source, messages }) => {
  const fold = sourceFold(source)
  checkEndings(source, fold, stepsOf(fold, messages), ({ agentId }) => isTeammateId(agentId))
  const { memory, events } = source.translateAll(source.initial, messages)
  const all = [...events, ...source.end(memory).events]
  const { blocks, session } = reduceSessionEvents(createInitialConversationState(), all)
  if (blocks.length > 0) expect(session.program).toBeDefined()
})
