import { expect, it } from 'vitest'
import { checkEndings } from '../../../src/checks/laws/check-source.ts'
import { stepsOf } from '../../../src/checks/laws/fold.ts'
import { FaultList } from '../../../src/checks/laws/law-error.ts'
import { sourceFold } from '../../../src/checks/laws/source-fold.ts'
import { sessions } from '../../wires/status/recorded.ts'

// `checkSource` takes too long for every recording. These two of its laws hold for them all, public recordings and late streams too.
it.each(sessions)('$name ends its agents and names its program', ({ source, messages }) => {
  const fold = sourceFold(source)
  const faults = new FaultList()
  checkEndings({ source, fold, steps: stepsOf(fold, messages), faults })
  faults.throwIfAny()
  const { blocks, session } = source.end(source.read(source.open(), messages).session).session.state
  if (blocks.length > 0) expect(session.protocol ?? session.program).toBeDefined()
})
