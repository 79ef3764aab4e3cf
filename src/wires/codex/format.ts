import type { Format } from '../format.ts'
import { isCodexMessage } from './events/read.ts'
import { isRolloutName } from './files/rollout-file.ts'
import { codexFiles } from './files/session-files.ts'
import { codexSource } from './source.ts'
import { codexStorage } from './storage.ts'

/** Codex: rollout files, `codex exec --json`, and the messages of the app-server. */
export const codexFormat: Format<'codex'> = {
  name: 'codex',
  inputs:
    "Codex (a rollout-*.jsonl: its agents' files are found beside it, exec --json, a log of the app-server)",
  isDocument: () => false,
  isMessage: isCodexMessage,
  // A line of a rollout does not name its thread.
  transcripts: { agentField: 'thread_id' },
  source: codexSource,
  files: {
    isSession: isRolloutName,
    isPart: isRolloutName,
    agentFiles: () => ({ isBeside: isRolloutName }),
    transcripts: codexFiles,
  },
  storage: codexStorage,
}
