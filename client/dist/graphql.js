import{failure as t}from"./transport.js";const p=async(o,r)=>{throw t(r,"NOT_IMPLEMENTED","the transport graphql is not here yet; use rest or envelope")};export{p as graphql};
