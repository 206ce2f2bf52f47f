/** A failure of a call: the host's own, or one of the way to it (SERVICE_UNAVAILABLE, BAD_GATEWAY). */
export declare class KitError extends Error {
    /** A word such as NOT_FOUND or VALIDATION_FAILED. */
    readonly code: string;
    readonly entity: string | undefined;
    readonly operation: string | undefined;
    /** Of VALIDATION_FAILED the list of refusals; else what the code brings. */
    readonly details: unknown;
    constructor({ code, message, entity, operation, details }: {
        code: string;
        message: string;
        entity?: string;
        operation?: string;
        details?: unknown;
    });
}
