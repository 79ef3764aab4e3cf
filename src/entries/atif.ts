export type {
  AtifAgent,
  AtifContentPart,
  AtifFinalMetrics,
  AtifMetrics,
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
} from '../sinks/atif/to-atif.ts'
export { toAtif } from '../sinks/atif/to-atif.ts'
