/** All that the console knows of the gateway. */
export * from '../../../gateway/src/admin/contract.ts'
