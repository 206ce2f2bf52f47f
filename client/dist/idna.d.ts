/** Whether a label that begins with xn-- is the one spelling of a name that IDNA 2008 allows. */
export declare function isALabel(label: string): boolean;
