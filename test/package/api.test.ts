import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = JSON.stringify(exports).match(/[\w-]+(?=\.d\.ts)/g) ?? []
const REPORTS = join(import.meta.dirname, 'api')
const IS_UPDATE = process.env.UPDATE_API === 'true'

/**
 * What the package gives its users, as the reports in `api/` have it. When a report has to change, run `npm run api`, and say in the
 * changelog what changes for whom.
 */
describe.each(entries)('%s', (entry) => {
  it('has the surface that its report tells', () => {
    const { apiReportChanged } = Extractor.invoke(configOf(entry), {
      localBuild: IS_UPDATE,
      messageCallback: (message) => {
        message.handled = true
      },
    })
    expect(apiReportChanged && !IS_UPDATE).toBe(false)
  })

  it('documents every export', () => {
    const report = readFileSync(join(REPORTS, `${entry}.api.md`), 'utf8')
    expect(report).toContain('\nexport ')
    expect(report.match(/\(undocumented\)\nexport .*/g)).toBe(null)
  })
})

function configOf(entry: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(root, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, 'dist', `${entry}.d.ts`),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            module: 'esnext',
            moduleResolution: 'bundler',
            types: [],
            skipLibCheck: true,
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${entry}.api.md`,
        reportFolder: REPORTS,
        reportTempFolder: join(root, 'node_modules/.api'),
        // Bases that nobody exports are part of each block and event.
        includeForgottenExports: true,
      },
      newlineKind: 'lf',
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } } },
    },
  })
}
