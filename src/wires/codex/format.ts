import { timeOf } from '../../session/input/timed-entries.ts'
import type { Format } from '../format.ts'
import { isCodexMessage } from './events/read.ts'
import { codexEntries, codexFilePart } from './files/entries.ts'
import { isRolloutName } from './files/rollout-file.ts'
import { codexTranscript, selectCodexFiles } from './files/session-files.ts'
import { codexSource } from './source.ts'
import { codexStorage } from './storage.ts'

/** Codex: rollout files, `codex exec --json`, and the messages of the app-server. */
export const codexFormat: Format<'codex'> = {
  name: 'codex',
  inputs:
    "Codex (a rollout-*.jsonl: its agents' files are found beside it, exec --json, a log of the app-server)",
  isDocument: () => false,
  isMessage: isCodexMessage,
  entries: codexEntries,
  source: codexSource,
  files: {
    isSession: isRolloutName,
    isPart: isRolloutName,
    agentFiles: () => ({ isBeside: isRolloutName }),
    select: selectCodexFiles,
    combine: codexTranscript,
    part: codexFilePart,
    timeOf,
  },
  storage: codexStorage,
}
