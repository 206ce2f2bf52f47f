/** Whether a label that begins with xn-- stands for a name; the host looks closer. */
export declare const isALabel: (label: string) => boolean;
