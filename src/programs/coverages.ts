import { programOf } from './all.ts'
import { claudeCoverage } from './claude-code/program.ts'
import { clineCoverage } from './cline/program.ts'
import { codexCoverage } from './codex/program.ts'
import { copilotCoverage } from './copilot/program.ts'
import type { Coverage } from './coverage.ts'
import { droidCoverage } from './droid/program.ts'
import { geminiCoverage } from './gemini/program.ts'
import { acpCoverage, acpFilesCoverage, agUiCoverage } from './generic/acp-coverage.ts'
import { kimiCoverage } from './kimi/program.ts'
import { opencodeCoverage } from './opencode/program.ts'
import { piCoverage } from './pi/program.ts'
import type { Architecture } from './program.ts'
import { qwenCoverage } from './qwen/program.ts'

/**
 * The coverage of each wire that has a stream beside its files. It is apart from the programs, because claims and hashes
 * need the programs alone.
 */
const COVERAGES: Readonly<Partial<Record<Architecture, Coverage>>> = {
  'claude-sdk': claudeCoverage,
  opencode: opencodeCoverage,
  codex: codexCoverage,
  pi: piCoverage,
  gemini: geminiCoverage,
  kimi: kimiCoverage,
  qwen: qwenCoverage,
  acp: acpCoverage,
  'ag-ui': agUiCoverage,
  copilot: copilotCoverage,
  cline: clineCoverage,
  droid: droidCoverage,
}

/** The coverage of a protocol against the files that the program stored in its own format. */
const FILES_COVERAGES: Readonly<Partial<Record<Architecture, Coverage>>> = { acp: acpFilesCoverage }

/** Returns the coverage of a program's two sides by its name, or of a protocol's; undefined for an unknown name. */
export function coverageOf(name: string | undefined): Coverage | undefined {
  const program = programOf(name)
  return program && coverageOfWire(program.wire)
}

/** Returns the coverage of a protocol's stream against the files of the program, which have a format of their own. */
export function coverageOfFiles(protocol: string | undefined): Coverage | undefined {
  const program = programOf(protocol)
  return program && (FILES_COVERAGES[program.wire] ?? coverageOfWire(program.wire))
}

/** A wire of files alone has no other side, or one by ACP. */
function coverageOfWire(wire: Architecture): Coverage {
  return COVERAGES[wire] ?? acpCoverage
}
