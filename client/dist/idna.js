const n=e=>e.length>4;export{n as isALabel};
